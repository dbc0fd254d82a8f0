create or replace TRANSIENT TABLE DB.PUBLIC.ORDERS cluster by (O_DATE)(
	O_ID NUMBER(38,0) NOT NULL autoincrement start 1 increment 1 COMMENT 'order\'s id',
	O_DATE TIMESTAMP_NTZ(9),
	DATA VARIANT,
	TAG VARCHAR(16777216) WITH TAG (a='b') ,
	primary key (O_ID) rely,
	constraint fk foreign key (O_ID) references DB.PUBLIC.CUST(ID) not enforced
)COMMENT='all orders';
create table cust (id int, "Mixed" text);
create or replace view V(A COMMENT 'the a', B) COMMENT='view' as select o_id, o_date from orders;
