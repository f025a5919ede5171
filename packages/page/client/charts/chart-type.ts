/** The media type of an artifact that is shown as a chart. */
export const chartType = "application/vnd.troupe.chart+json";
