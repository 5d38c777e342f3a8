int csqlite_number(void);
