import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Runnable } from "../run/runnable.ts";
import { checkStoredSessionId, memberSessionId } from "../../sessions/session/session-id.ts";
import { createMembers, memberSessionsListener } from "./members.ts";

const named = (...names: string[]) => createMembers(names.map((name) => ({ name }) as Runnable));

/** The room in the name of a tool beside its beginning. */
const room = 64 - "delegate_to_".length;

describe("the names that are derived from a member's", () => {
  it.each<[name: string, toolName: string, sessionName: string]>([
    ["ann", "delegate_to_ann", "ann"],
    ["Ann-1_x", "delegate_to_Ann-1_x", "Ann-1_x"],
    ["a b/c", "delegate_to_a_b_c", "a b/c"],
    ["é", "delegate_to__", "é"],
    ["😀", "delegate_to__", "😀"],
    ["a".repeat(room), `delegate_to_${"a".repeat(room)}`, "a".repeat(room)],
  ])("of %s are those of a tool and of a session", (name, toolName, sessionName) => {
    expect(named(name)).toMatchObject([{ name, toolName, sessionName }]);
  });

  it.each([
    ["one character more than a tool may have", "a".repeat(room + 1)],
    ["one character more than a session may have", "a".repeat(65)],
    ["long and not of letters", "é".repeat(200)],
    ["of characters of two units", "😀".repeat(60)],
  ])("are at most 64 characters for a name that is %s", (_what, name) => {
    const [member] = named(name);
    expect(member?.toolName).toMatch(/^delegate_to_[\w-]+_[0-9a-f]{12}$/);
    expect(member?.toolName.length).toBeLessThanOrEqual(64);
    expect(member?.name).toBe(name);
    // Within a team within a team.
    const inner = memberSessionId(
      memberSessionId("s".repeat(128), member?.sessionName ?? ""),
      member?.sessionName ?? "",
    );
    expect(checkStoredSessionId(inner)).toBe(inner);
  });

  it("keep the name in the session up to 64 characters as they are encoded", () => {
    const sessionNames = named("a".repeat(64), "é".repeat(10), "é".repeat(11), "a".repeat(65)).map(
      ({ sessionName }) => sessionName,
    );
    expect(sessionNames).toEqual([
      "a".repeat(64),
      "é".repeat(10),
      expect.stringMatching(/^_{11}_[0-9a-f]{12}$/),
      expect.stringMatching(/^a{51}_[0-9a-f]{12}$/),
    ]);
  });

  it("differ where the names do, and are the same in each process", () => {
    const long = "a".repeat(100);
    const names = ["a b", "a_b", "a/b", "é", "ü", `${long}1`, `${long}2`, "delegate_to_a_b"];
    const members = named(...names);
    for (const field of ["toolName", "sessionName"] as const) {
      expect(new Set(members.map((member) => member[field])).size, field).toBe(names.length);
    }
    expect(named(...names)).toEqual(members);
    // The first one to come has the plain name.
    expect(members.slice(0, 2).map(({ toolName }) => toolName)).toEqual([
      "delegate_to_a_b",
      expect.stringMatching(/^delegate_to_a_b_[0-9a-f]{12}$/),
    ]);
  });
});

describe("the sessions of members, when that of the team is deleted", () => {
  type Delete = (sessionId: string, access: object) => Promise<void>;
  const owner = { userId: "ada", tenantId: "t" };

  function listenerFor(...deletes: (Delete | undefined)[]) {
    const runnables = deletes.map((deleteSession, index) => {
      return { name: `m ${index}`, ...(deleteSession && { sessions: { deleteSession } }) } as unknown as Runnable;
    });
    return memberSessionsListener(createMembers(runnables));
  }

  it("are deleted of each member that has a store, for the owner, also where one has none", async () => {
    const gone = vi.fn<Delete>(() => Promise.reject(new TroupeError("not_found", "There is no such session.")));
    const own = vi.fn<Delete>(async () => {});
    await listenerFor(gone, undefined, own).forgetSession?.("s", owner);

    expect(gone).toHaveBeenCalledExactlyOnceWith("s#m%200", { owner });
    expect(own).toHaveBeenCalledExactlyOnceWith("s#m%202", { owner });
  });

  it.each([
    new TroupeError("storage_unavailable", "The database restarts."),
    Object.assign(new Error("There is no such file."), { code: "not_found" }),
  ])("are told of when they cannot be: %s", async (error) => {
    const fail = async () => {
      throw error;
    };
    await expect(listenerFor(fail).forgetSession?.("s", owner)).rejects.toBe(error);
  });
});
