from ade_engine import Field

field = Field("joined_on", label="Joined on", type="date", aliases=["Joined"], day_first=True)
