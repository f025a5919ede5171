/** What one unit of the calibration costs on the machine that calibrated microseconds are of. */
const calibrationUs = 100;

/** What a cost would be on a machine where the calibration takes 100 microseconds. Both were taken in the same slice of time. */
export function calibrate(costUs: number, calibrationCostUs: number): number {
  return (costUs / calibrationCostUs) * calibrationUs;
}
