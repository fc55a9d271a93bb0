"""What a run of dbt builds beside what is there, and how all of it takes its place at one time.

| module    | noun                                                                     |
|-----------|--------------------------------------------------------------------------|
| names     | the schemas of what is staged, and what a `ref` of it renders            |
| literals  | the strings of a query, which say what will be called so                 |
| readers   | who reads contents while the run goes on, and has to find the new ones   |
| staged    | one object that is staged; which take their places, and which are held   |
| retired   | what a sink still reads when something else has taken its place          |
| placing   | the statements of the transaction in which they take their places        |
| session   | the connection that holds the locks of a run, and its staging schemas    |
| staging   | a run's staging, from the first object to the end                        |
| run_phases | where dbt says which nodes a run has, that all have ended, or that it was stopped |
| sinks     | the adapter's part that lets sinks go on                                 |
| adapter   | the adapter's part that the macros call, and that ends a run             |
"""
