create table if not exists shards_sample_orders (
    id         bigint       not null primary key,
    shard      int          not null,
    customer   varchar(20)  not null,
    item       varchar(20)  not null,
    shipped_by varchar(10)
);
create index if not exists shards_sample_due on shards_sample_orders (shard, shipped_by, id);
-- On purpose without a unique key on the order. One would refuse the second shipment in this sample; it would not take back
-- a payment or a parcel.
create table if not exists shards_sample_shipments (
    order_id   bigint      not null,
    shipped_by varchar(10) not null,
    token      bigint      not null
);
delete from shards_sample_shipments;
delete from shards_sample_orders;
