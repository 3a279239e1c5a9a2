"""One diagnosis: recorder, Verifier input hook, Verifier, Composer, and the run that joins them."""
