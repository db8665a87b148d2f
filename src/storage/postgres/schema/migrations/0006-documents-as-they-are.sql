-- A row of more than 2 KB would have its document compressed, and a page of orders spends longer on unpacking such
-- documents than on finding them. Up to a block of 8 KB they stay as they are. Holds for what is written from now on.
alter table orders set (toast_tuple_target = 8160);
