from ade_engine import Field

field = Field("item", label="Item", aliases=["Product", "Article"])
