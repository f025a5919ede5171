import { describe, expect, it } from "vitest";
import { messagePath, readSummary } from "./read-message.ts";

const payload = {
  headers: [
    { name: "From", value: "Ann =?UTF-8?Q?M=C3=BCller?= <ann@e.x>" },
    { name: "To", value: "bob@e.x" },
    { name: "Subject", value: "=?UTF-8?B?SGnCoQ==?=" },
    { name: "Date", value: "Fri, 20 Nov 2026 10:00:00 +0000" },
  ],
};
const written = "Fri, 20 Nov 2026 10:00:00 +0000";

describe("messagePath", () => {
  it.each([
    ["18c1", "/gmail/v1/users/me/messages/18c1"],
    ["a/../b?c", "/gmail/v1/users/me/messages/a%2F..%2Fb%3Fc"],
  ])("messagePath of %j is %j", (id, path) => {
    expect(messagePath(id)).toBe(path);
  });
});

describe("readSummary", () => {
  it("has the ids, the decoded headers, and the time of arrival", () => {
    const message = { id: "18c1", threadId: "18c0", internalDate: "1795168800500" };

    expect(readSummary(message, payload)).toEqual({
      id: "18c1",
      threadId: "18c0",
      from: "Ann Müller <ann@e.x>",
      to: "bob@e.x",
      subject: "Hi¡",
      date: "2026-11-20T10:00:00.500Z",
    });
  });

  it.each([
    ["0", "1970-01-01T00:00:00.000Z"],
    ["8639999999999999", "+275760-09-12T23:59:59.999Z"],
    ["8640000000000000", written],
    ["x", written],
    ["", written],
    [1795168800500, written],
    [undefined, written],
  ])("dates a mail with the internalDate %j by %j", (internalDate, date) => {
    expect(readSummary({ internalDate }, payload).date).toBe(date);
  });

  it("is empty without headers, and bounds ids", () => {
    const empty = { id: "", threadId: "", from: "", to: "", subject: "", date: "" };

    expect(readSummary({}, {})).toEqual(empty);
    expect(readSummary({ id: "a".repeat(101), threadId: "b".repeat(100) }, {})).toEqual({
      ...empty,
      id: `${"a".repeat(99)}…`,
      threadId: "b".repeat(100),
    });
  });
});
