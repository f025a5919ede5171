/** Questions for what is served, and what is in a good answer of the offline model. */
export const questions: Readonly<Record<string, readonly [input: unknown, answer: RegExp]>> = {
  "agents/assistant": ["What is the weather in Oslo, and what is 12 * 7?", /9 °C with rain.* 84/],
  "agents/support": ["Can a run survive a restart of the server?", /docs\/guide\/durable-runs\.md/],
  "agents/extractor": ["My name is Ada, order number A-7, ada@example.com", /"orderNumber":"A-7"/],
  "agents/companion": ["My name is Ada.", /Nice to meet you, Ada/],
  "agents/weather-report": ["What is the weather in Reykjavik?", /"sky":"snow"/],
  "agents/researcher": ["Count to 3", /1 2 3/],
  "agents/concierge": ["What is the weather in Paris?", /with sun/],
  "agents/meteorologist": ["Will it rain in London?", /with rain/],
  "agents/timekeeper": ["What time is it in Tokyo?", /In Tokyo it is \d\d:\d\d/],
  "agents/accountant": ["What is (3 + 4) * 2?", /= 14/],
  "teams/travel-desk": [
    "What is the weather in Tokyo and what time is it there?",
    /meteorologist says.*timekeeper says/,
  ],
  "teams/help-desk": ["What is 2 + 3?", /= 5/],
  "teams/city-guides": ["What is the weather in Cairo, and what is 2 + 3?", /meteorologist says.*accountant says/],
  "teams/trip-planners": ["What is the weather in Bergen, and what time is it?", /meteorologist says.*timekeeper says/],
  "workflows/morning-briefing": [{ city: "Bergen" }, /Take an umbrella/],
};

/** The assistants that need a key of their vendor, and the header in which a caller may bring it. */
export const keyHeaders = [
  ["openai-assistant", "x-openai-api-key"],
  ["claude-assistant", "x-anthropic-api-key"],
  ["gemini-assistant", "x-google-api-key"],
] as const;
