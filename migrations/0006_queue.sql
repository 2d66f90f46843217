-- compatible

-- The tables of the queues are made by 0073_work. What stood here were those of pg-boss.
