import { describe, expect, it } from "vitest";
import { readConversation } from "./conversation.ts";
import { planCalls } from "./plan-calls.ts";
import { asking, toolOf, tools } from "./test/request.ts";

function planned(request: string, offered = tools): [name: string, args: Record<string, unknown>][] {
  return planCalls(readConversation(asking(request)), offered)
    .filter(({ missing }) => missing.length === 0)
    .map(({ name, arguments: args }) => [name, args]);
}

describe("planCalls", () => {
  it.each<[request: string, name: string, args: Record<string, unknown>]>([
    ["What is the weather in Oslo?", "get_weather", { city: "Oslo" }],
    ["do I need an umbrella in oslo", "get_weather", { city: "oslo" }],
    ["I travel to New York tomorrow. What should I pack?", "get_weather", { city: "New York" }],
    ["I want to visit Oslo. How warm is it today?", "get_weather", { city: "Oslo" }],
    ["What time is it?", "get_time", {}],
    ["What time is it in Tokyo right now?", "get_time", { city: "Tokyo" }],
    ["What is 12 * 7?", "calculate", { expression: "12 * 7" }],
    ["Calculate (1.5 + 2) x 3 please", "calculate", { expression: "(1.5 + 2) * 3" }],
    ["I would like to know (the sum is 2 + 3)", "calculate", { expression: "2 + 3" }],
    ["Book a room in Oslo.", "book_room", { city: "Oslo" }],
    ["please reserve me one in tokyo", "book_room", { city: "tokyo" }],
    ["How much is 100 divided by 8", "calculate", { expression: "100 / 8" }],
  ])("calls the fitting tool for: %s", (request, name, args) => {
    expect(planned(request)).toEqual([[name, args]]);
  });

  it("plans a call for each question of a request", () => {
    expect(planned("What's the weather in Oslo and what time is it in Tokyo, and what is 2 + 2?")).toEqual([
      ["get_weather", { city: "Oslo" }],
      ["get_time", { city: "Tokyo" }],
      ["calculate", { expression: "2 + 2" }],
    ]);
  });

  it("plans a booking beside a question, and one for each city", () => {
    expect(planned("What is the weather in Oslo, and book a room in Oslo and Bergen.")).toEqual([
      ["get_weather", { city: "Oslo" }],
      ["book_room", { city: "Oslo" }],
      ["book_room", { city: "Bergen" }],
    ]);
    expect(planned("I read a book about Oslo.")).toEqual([]);
  });

  it("takes the place from another question when a question names none", () => {
    expect(planned("What is the weather in Oslo? And what time is it there?")).toEqual([
      ["get_weather", { city: "Oslo" }],
      ["get_time", { city: "Oslo" }],
    ]);
  });

  it("plans one call for a question that is asked twice", () => {
    expect(planned("What is 1 + 1? What is 1 + 1?")).toHaveLength(1);
  });

  it("takes the topic of a follow-up question from an earlier request", () => {
    const conversation = readConversation([
      ...asking("What time is it in Oslo?"),
      ...asking("What is the weather in Oslo?"),
      ...asking("Thanks!"),
      ...asking("And in Bergen?"),
    ]);

    expect(planCalls(conversation, tools)).toMatchObject([{ name: "get_weather", arguments: { city: "Bergen" } }]);
  });

  it("finds a team member by its description, and gives it a task that can be understood alone", () => {
    const members = [
      toolOf("delegate_to_ada", "Knows the weather of cities.", "task"),
      toolOf("delegate_to_bob", "Knows the time.", "task"),
    ];

    expect(planned("What is the weather in Oslo and what time is it there?", members)).toEqual([
      ["delegate_to_ada", { task: "What is the weather in Oslo" }],
      ["delegate_to_bob", { task: "what time is it there in Oslo?" }],
    ]);
  });

  it("prefers a tool whose name fits to one whose description fits", () => {
    const offered = [toolOf("ask_anyone", "Knows the weather, too.", "task"), ...tools];

    expect(planned("What is the weather in Oslo?", offered)).toEqual([["get_weather", { city: "Oslo" }]]);
  });

  it.each(["Hello", "How many times did you say that?", "My birthday is 2026-11-21.", "", "I have 3 cats and 2 dogs"])(
    "calls nothing for %j",
    (request) => {
      expect(planned(request)).toEqual([]);
    },
  );
});
