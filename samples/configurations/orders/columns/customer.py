from ade_engine import Field

field = Field("customer", label="Customer", required=True, aliases=["Customer name", "Client"])
