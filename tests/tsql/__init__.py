"""A stand-in for SQL Server in tests: it takes T-SQL as Microsoft's driver does, and executes it on PostgreSQL.

`driver` takes the driver's place behind SQLAlchemy's own dialect for SQL Server, so that the product takes every branch
that it takes there. Each statement is recorded (`recording`), refused where SQL Server would refuse it (`rules`),
translated (`translation`) and executed. It shows that statements are correct; it does not show how SQL Server plans
them or locks rows.
"""
