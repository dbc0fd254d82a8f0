CREATE TABLE `my-proj.sales.orders` (
  id INT64 NOT NULL OPTIONS(description="the id"),
  items ARRAY<STRUCT<sku STRING, qty INT64>>,
  addr STRUCT<street STRING NOT NULL, zip STRING> OPTIONS(description='address'),
  ts TIMESTAMP DEFAULT CURRENT_TIMESTAMP(),
  PRIMARY KEY (id) NOT ENFORCED
)
PARTITION BY DATE(ts)
CLUSTER BY id
OPTIONS(description="""all
orders""", labels=[("a","b")]);
CREATE TABLE my-proj.sales.lines (id INT64, oid INT64 REFERENCES sales.orders(id) NOT ENFORCED);
CREATE VIEW sales.v AS SELECT o.id, l.* FROM `my-proj.sales.orders` o JOIN sales.lines l ON o.id = l.oid;
