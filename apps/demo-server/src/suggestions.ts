const weatherAndSum = "What is the weather in Oslo, and what is 12 * 7?";

/** Example questions for the agents, teams and workflows, by name. */
export const suggestions: Readonly<Record<string, readonly string[]>> = {
  assistant: [weatherAndSum, "Book a room in Paris.", "My name is Ada. Count to 20.", "What time is it in Tokyo?"],
  support: [
    "How do I write a storage driver?",
    "Can a run survive a restart of the server?",
    "How do I run a durable run over HTTP?",
  ],
  extractor: [
    "My name is Grace Hopper from Acme Ltd. Please send me 3 keyboards by 12 May 2027, order number A-1024. It is urgent! grace@acme.example",
  ],
  companion: ["My name is Ada, I live in Bergen and I like black coffee.", "What do you know about me?"],
  "weather-report": ["What is the weather in Reykjavik?"],
  researcher: ["Search the web for whales", "What are the top stories on Hacker News?"],
  secretary: ["Search the mailbox for invoices."],
  concierge: ["Book a room in Oslo."],
  meteorologist: ["Will it rain in London?"],
  timekeeper: ["What time is it in Tokyo?"],
  accountant: ["What is (3 + 4) * 2?"],
  "openai-assistant": [weatherAndSum],
  "claude-assistant": [weatherAndSum],
  "gemini-assistant": [weatherAndSum],
  "travel-desk": ["What is the weather in Tokyo and what time is it there?"],
  "help-desk": ["What is (3 + 4) * 2?", "Will it rain in London?"],
  "city-guides": ["What is the weather in Cairo, what time is it there, and what is 31 * 9 / 5 + 32?"],
  "trip-planners": ["I am going to Bergen. Do I need an umbrella, and what time is it there?"],
  "morning-briefing": ['{"city":"Bergen"}'],
};
