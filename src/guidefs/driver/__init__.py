"""One session at work: plan, fetch, apply, with all the state that it takes."""
