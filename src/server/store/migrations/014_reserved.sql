-- Nothing: the number is reserved.
SELECT 1;
