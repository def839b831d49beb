from ade_engine import Field

field = Field("unit_price", label="Unit price", type="number", minimum=0, aliases=["Price", "Price each"])
