PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
-- People who buy
CREATE TABLE IF NOT EXISTS "people" ( -- buyers
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- the id
  [full name] TEXT NOT NULL, /* as on
     the passport */
  `weird``one` "WEIRD TYPE",
  x,
  -- when it was
  born DATE DEFAULT (date('now')) -- birth
) WITHOUT ROWID;
INSERT INTO people VALUES(1,'a;b','c');
CREATE VIRTUAL TABLE docs USING fts5(title, body, tokenize='porter');
CREATE TABLE ctgt (x INT, y INT, PRIMARY KEY (x, y));
CREATE TABLE implicit_pk (a INT, b INT, FOREIGN KEY (a, b) REFERENCES ctgt);
CREATE TRIGGER t AFTER INSERT ON people BEGIN UPDATE people SET x=1; DELETE FROM docs; END;
CREATE VIEW pv(n) AS SELECT "full name" FROM people;
COMMIT;
