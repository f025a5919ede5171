/** Settings of a service with durable runs: its database, the file of its tools' effects, its port, and its remote member. */
export type DurableSetup = { database: string; effects: string; port: number; clerkUrl: string };

/** The words with which a question is answered, each with its number. */
export function wordsOf(question: string): string[] {
  return Array.from({ length: 25 }, (_, index) => `${question}.${index} `);
}

/** The result of a tool call whose line is in the file. */
export function resultOf(key: string): string {
  return `Written: ${key}`;
}
