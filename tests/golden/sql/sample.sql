-- Everything about otters.
create table public.otter (
  id bigint primary key,
  name text not null default 'none; yet'
);

create index otter_name on public.otter (name);

-- How many there are.
-- Counted each time.
create or replace function public.count_otters(p_day date)
returns integer
language plpgsql
set search_path = public, pg_temp
as $fn$
declare n integer;
begin
  select count(*) into n from otter where born < p_day; -- semicolons; inside
  return n;
end;
$fn$;

do $$
begin
  perform public.count_otters(current_date);
end
$$;

create materialized view "Otter Ages" as
select name, age(born) from public.otter;

create type mood as enum ('calm', 'wild');

create trigger otter_touch before update on public.otter
  for each row execute function touch_row();

CREATE OR REPLACE PROCEDURE feed_all(amount IN NUMBER) IS
  total NUMBER := 0;
BEGIN
  FOR o IN (SELECT id FROM otter) LOOP
    IF amount > 0 THEN
      total := total + amount;
    END IF;
  END LOOP;
END;
/

DELIMITER //
CREATE DEFINER=`root`@`localhost` PROCEDURE `wash`(IN who INT)
BEGIN
  UPDATE otter SET clean = 1 WHERE id = who;
  SELECT CASE clean WHEN 1 THEN 'yes' ELSE 'no' END FROM otter;
END //
DELIMITER ;

insert into public.otter values (1, 'Ole');

alter table public.otter add column born date;

create temporary table if not exists scratch (
  id int
);
