import { expect, it } from "vitest";
import { sessionOf } from "../test/fake-services.ts";
import { groupSessions } from "./find-sessions.ts";

const now = new Date(2026, 4, 20, 12).getTime();
const [rain, snow, untitled] = [
  sessionOf("r", now, "Rain in Ålesund"),
  sessionOf("s", now - 86_400_000, "Snow"),
  sessionOf("u", now),
];
const stale = { ...snow, title: "An older title" };
const older = sessionOf("o", 0, "Rain of long ago");

const shown = (query: string, pinned = [stale, older]) =>
  groupSessions([rain, snow, untitled], { pinned, query, now }).map(
    ([heading, group]) => `${heading}: ${group.map(({ title }) => title).join(", ")}`,
  );

it.each([
  ["", ["Pinned: Snow, Rain of long ago", "Today: Rain in Ålesund, "]],
  ["  RAIN ", ["Pinned: Rain of long ago", "Today: Rain in Ålesund"]],
  ["ale in", ["Today: Rain in Ålesund"]],
  ["snow", ["Pinned: Snow"]],
  ["older title", []],
  ["hail", []],
])("the chats for the search %j are pinned ones first, with their newest titles: %j", (query, groups) => {
  expect(shown(query)).toEqual(groups);
});

it("chats without pins are in groups by their days", () => {
  expect(shown("", [])).toEqual(["Today: Rain in Ålesund, ", "Yesterday: Snow"]);
});
