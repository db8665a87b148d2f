create unique index orders_by_seq on orders (store_id, seq);
create unique index items_by_seq on items (store_id, seq);
