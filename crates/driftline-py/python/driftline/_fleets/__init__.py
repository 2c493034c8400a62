"""What fleets share, whoever hands the streams out: `driftline.ray` and `driftline.spark`."""
