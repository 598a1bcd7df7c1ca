"""Pure statistics on samples: quantiles, intervals, clustering, change points."""
