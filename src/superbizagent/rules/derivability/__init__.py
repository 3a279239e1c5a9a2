"""Reading claims and records for the judge: units, contexts, numbers, moments, names. Protocol: section 7."""
