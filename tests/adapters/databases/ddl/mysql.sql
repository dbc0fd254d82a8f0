-- MySQL dump 10.13
/*!40101 SET NAMES utf8 */;
USE `shop`;
DROP TABLE IF EXISTS `film`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
--
-- Table structure for table `film`
--
CREATE TABLE `film` (
  `film_id` smallint(5) unsigned NOT NULL AUTO_INCREMENT COMMENT 'the \'id\'; x',
  `rating` enum('G','PG','it''s') DEFAULT 'G',
  `feat` set('a','b') DEFAULT NULL,
  `full` varchar(40) GENERATED ALWAYS AS (concat(`title`,' ')) VIRTUAL,
  `title` varchar(128) CHARACTER SET utf8 COLLATE utf8_bin NOT NULL,
  `last_update` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  `lang` int(11) DEFAULT NULL,
  `j` longtext CHECK (json_valid(`j`)),
  PRIMARY KEY (`film_id`),
  UNIQUE KEY `t` (`title`(10)),
  KEY `idx` (`lang`),
  FULLTEXT KEY `ft` (`title`),
  CONSTRAINT `fk_l` FOREIGN KEY (`lang`) REFERENCES `language` (`id`) ON UPDATE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=1001 DEFAULT CHARSET=utf8 COMMENT='Films; all'
/*!50100 PARTITION BY RANGE (`film_id`)
(PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB,
 PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;
INSERT INTO `film` VALUES (1,'G;''x\'; CREATE TABLE y (id int);','z');
CREATE TABLE `language` (`id` int NOT NULL, `name` varchar(10));
ALTER TABLE `language` ADD PRIMARY KEY (`id`), ADD UNIQUE KEY `nm` (`name`), MODIFY `id` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=5;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER x BEFORE INSERT ON film FOR EACH ROW BEGIN SET NEW.a=1; END */;;
DELIMITER ;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `fl` AS select `f`.`title` AS `t`,`l`.`name` AS `lname` from (`film` `f` join `language` `l` on((`l`.`id` = `f`.`lang`))) */;
