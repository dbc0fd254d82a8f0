--
-- PostgreSQL database dump
--
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
\restrict abc
CREATE SCHEMA kinds;
CREATE TYPE kinds.mood AS ENUM (
    'sad',
    'it''s ok',
    'happy'
);
CREATE DOMAIN public.positive_cents AS bigint
	CONSTRAINT positive_cents_check CHECK ((VALUE >= 0));
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $_$
begin
  CREATE TABLE fake (id int);
  return new;
end;
$_$;
--
-- Name: rich; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.rich (
    id bigint NOT NULL,
    mood kinds.mood DEFAULT 'happy'::kinds.mood NOT NULL,
    moods kinds.mood[],
    tags text[] DEFAULT '{}'::text[],
    price public.positive_cents,
    ts timestamp with time zone DEFAULT now(),
    dbl numeric(12,2)[],
    total bigint GENERATED ALWAYS AS (((price)::bigint * 2)) STORED,
    stat_cd character(1) DEFAULT 'N'::bpchar NOT NULL,
    name character varying(20) COLLATE "C",
    CONSTRAINT rich_stat CHECK ((stat_cd = ANY (ARRAY['N'::bpchar, 'P'::bpchar])))
);
ALTER TABLE public.rich OWNER TO postgres;
COMMENT ON TABLE public.rich IS 'Rich; things';
COMMENT ON COLUMN public.rich.stat_cd IS 'N=new, it''s X';
ALTER TABLE public.rich ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.rich_id_seq
    START WITH 1
);
CREATE TABLE public.measurement (
    city_id integer NOT NULL,
    logdate date NOT NULL
)
PARTITION BY RANGE (logdate);
CREATE TABLE public.m2020 (
    city_id integer NOT NULL,
    logdate date NOT NULL
);
CREATE TABLE public.m2021 PARTITION OF public.measurement FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
CREATE VIEW public.v AS
 SELECT r.id, r.stat_cd AS code, count(*) AS n, m.*
   FROM (public.rich r JOIN public.measurement m ON ((r.id = m.city_id)));
COMMENT ON VIEW public.v IS 'entry';
CREATE MATERIALIZED VIEW public.mv AS
 SELECT * FROM public.v
  WITH NO DATA;
COPY public.rich (id, mood) FROM stdin;
1	happy; ' CREATE TABLE x (id int);
\.

ALTER TABLE ONLY public.measurement ATTACH PARTITION public.m2020 FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
ALTER TABLE ONLY public.rich
    ADD CONSTRAINT rich_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX rich_name ON public.rich USING btree (name);
CREATE UNIQUE INDEX rich_lname ON public.rich USING btree (lower(name));
CREATE TABLE broken (id int,, name text;
CREATE TABLE public.after_broken (id int references public.rich, "select" text);
CREATE TABLE q (x text DEFAULT 'abc, y int);
CREATE TABLE public.after_quote (z text DEFAULT 'k', id int);
ALTER TABLE ONLY public.after_quote
    ADD CONSTRAINT fk1 FOREIGN KEY (id) REFERENCES public.rich(id) ON DELETE CASCADE NOT VALID;
ALTER TABLE nowhere ADD COLUMN x int;
