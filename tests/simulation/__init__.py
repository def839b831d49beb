"""A deterministic simulation of the queue: the real operations, a fake clock, a seeded schedule and an oracle.

    python -m simulation 42 --verbose     (with tests/ on the path) plays seed 42 and prints its trace

- world.py      a database in memory, the clock, the processes, and one door through which every step goes
- schedule.py   which steps a seed takes; people.py, processes.py and times.py are the steps
- faults.py     connections lost before or after the commit, heartbeats that slip in between
- oracle.py     what must hold after every step; claims.py, fences.py, history.py and standing.py say it, record.py
                remembers the steps
- planted.py    bugs put in on purpose, to see that the oracle finds them
"""
