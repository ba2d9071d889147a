-- Tables filled by recursion, indices, joins, groups, window functions, text and JSON functions, updates in transactions.
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INTEGER);
CREATE TABLE sale(id INTEGER PRIMARY KEY, item INTEGER REFERENCES item(id), day INTEGER, pieces INTEGER);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO item SELECT i, 'item' || (i * 7919 % 3001), (i * 37 % 1000) / 10.0, i % 17 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO sale SELECT i, i * 104729 % 3000 + 1, i * 31 % 365, i % 9 + 1 FROM n;
COMMIT;
CREATE INDEX sale_item ON sale(item);
CREATE INDEX item_name ON item(name);
SELECT count(*), sum(pieces), min(day), max(day) FROM sale;
SELECT kind, count(*), round(sum(price * pieces), 2) AS total FROM sale JOIN item ON item.id = sale.item
  GROUP BY kind ORDER BY total DESC;
SELECT name, price FROM item WHERE name LIKE '%99%' ORDER BY name LIMIT 10;
SELECT day, pieces, sum(pieces) OVER (ORDER BY day, id ROWS 10 PRECEDING) FROM sale WHERE item = 77 ORDER BY day, id LIMIT 10;
BEGIN;
UPDATE item SET price = price * 1.1 WHERE kind IN (SELECT kind FROM item GROUP BY kind HAVING avg(price) > 49.9);
DELETE FROM sale WHERE day % 10 = 3;
COMMIT;
SELECT count(*), round(sum(price), 2) FROM item;
SELECT a.kind, count(*) FROM item a JOIN item b ON a.price = b.price AND a.id < b.id GROUP BY a.kind ORDER BY a.kind;
SELECT json_extract(json_group_array(json_object('n', name, 'p', price)), '$[17].n') FROM (SELECT * FROM item ORDER BY id LIMIT 100);
SELECT group_concat(upper(substr(name, 5, 2)), '') FROM (SELECT name FROM item ORDER BY price DESC, id LIMIT 20);
PRAGMA integrity_check;
