-- On purpose without a unique key on the number. One would refuse the old leader's late write in this sample; it would not
-- refuse a balance that is overwritten or a row that is written twice under two keys.
create table if not exists fencing_sample_invoices (
    number     bigint      not null,
    written_by varchar(10) not null,
    token      bigint      not null
);
delete from fencing_sample_invoices;
