/** A city that the tools know. Its weather is invented and never changes. */
export type City = {
  readonly name: string;
  readonly timeZone: string;
  readonly sky: "sun" | "clouds" | "rain" | "snow";
  readonly temperatureC: number;
};

const cities: readonly City[] = [
  { name: "Bergen", timeZone: "Europe/Oslo", sky: "rain", temperatureC: 8 },
  { name: "Berlin", timeZone: "Europe/Berlin", sky: "clouds", temperatureC: 14 },
  { name: "Cairo", timeZone: "Africa/Cairo", sky: "sun", temperatureC: 31 },
  { name: "London", timeZone: "Europe/London", sky: "rain", temperatureC: 12 },
  { name: "Madrid", timeZone: "Europe/Madrid", sky: "sun", temperatureC: 24 },
  { name: "Nairobi", timeZone: "Africa/Nairobi", sky: "clouds", temperatureC: 21 },
  { name: "New York", timeZone: "America/New_York", sky: "clouds", temperatureC: 16 },
  { name: "Oslo", timeZone: "Europe/Oslo", sky: "rain", temperatureC: 9 },
  { name: "Paris", timeZone: "Europe/Paris", sky: "sun", temperatureC: 18 },
  { name: "Reykjavik", timeZone: "Atlantic/Reykjavik", sky: "snow", temperatureC: -3 },
  { name: "Sydney", timeZone: "Australia/Sydney", sky: "sun", temperatureC: 22 },
  { name: "Tokyo", timeZone: "Asia/Tokyo", sky: "clouds", temperatureC: 17 },
];

/** Finds a city by its name, in upper or lower case. */
export function findCity(name: string): City | undefined {
  const wanted = name.trim().toLowerCase();
  return cities.find((city) => city.name.toLowerCase() === wanted);
}

/** Returns a message for the model that a city is unknown, with the known cities. */
export function unknownCity(name: string): string {
  return `There is no ${name} in the demo's table. It has ${cities.map((city) => city.name).join(", ")}.`;
}
