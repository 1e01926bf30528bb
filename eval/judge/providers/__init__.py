"""One file for each provider of judges; `eval.judge.registry` finds them."""
