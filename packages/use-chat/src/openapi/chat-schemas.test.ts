import { checkSessionId } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { sessionIdPattern } from "./chat-schemas.ts";

/** Returns true if the service takes the id. */
function isTaken(id: string): boolean {
  try {
    return checkSessionId(id) === id;
  } catch {
    return false;
  }
}

describe("the pattern of a session's id", () => {
  const beginnings = ["", ".", "..", "...", "-", "@", ":", "a.", "_", "ä", "/", " ", "%", "🎭"];
  const ids = beginnings.flatMap((beginning) =>
    [0, 1, 2, 126, 127, 128, 129, 130].flatMap((length) =>
      [".", "x", "ä", "\n"].map((rest) => beginning + rest.repeat(Math.max(0, length - beginning.length))),
    ),
  );

  it("describes just the ids that the service takes, at each bound", () => {
    const pattern = new RegExp(sessionIdPattern);

    expect(ids.filter((id) => pattern.test(id) !== isTaken(id))).toEqual([]);
    expect(ids.filter(isTaken).length).toBeGreaterThan(20);
  });
});
