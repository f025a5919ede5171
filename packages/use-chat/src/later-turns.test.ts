import { TroupeError } from "@troupe/core";
import type { StoredTurn } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { firstReplaced, readTurns } from "./replaced-turns.ts";
import { answeredIds, readAnswers } from "./request/chat-answers.ts";
import { readChat } from "./request/read-chat.ts";
import type { SentMessage } from "./request/read-chat.ts";
import { toHistory } from "./request/to-messages.ts";

type Sessions = Parameters<typeof readTurns>[0];
type Wait = NonNullable<RunView["waits"]>[number];

const owner = { userId: "ada" };
const turn = (seq: number): StoredTurn => ({ seq, runId: `r${seq}`, input: `Question ${seq}` }) as StoredTurn;

/** A session whose turns come in pages, and the places at which the pages were asked for. */
function sessionOf(count: number, failure?: { readonly after: number; readonly error: Error }) {
  const asked: unknown[] = [];
  const all = Array.from({ length: count }, (_, index) => turn(index + 1));
  const readPage = async (...[id, of, { limit = 0, after = 0 }]: Parameters<Sessions["readTurns"]>) => {
    asked.push([id, of, after]);
    if (failure?.after === after) throw failure.error;
    const turns = all.slice(after, after + limit);
    return await Promise.resolve({ turns, ...(after + limit < count && { next: after + limit }) });
  };
  return { asked, sessions: { readTurns: readPage } as unknown as Sessions };
}

describe("the turns that a chat may replace", () => {
  it.each([0, 1, 99, 100, 101, 200, 201, 250])("are all %i of a session, in order", async (count) => {
    const { sessions, asked } = sessionOf(count);
    const turns = await readTurns(sessions, "c", owner);

    expect(turns.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(asked).toEqual(
      Array.from({ length: Math.max(1, Math.ceil(count / 100)) }, (_, at) => ["c", owner, at * 100]),
    );
  });

  it.each([
    ["answer-150", 150],
    ["answer-201", 201],
  ])("are found on later pages too: that of %s", async (_name, seq) => {
    const { sessions } = sessionOf(201);
    const message = { id: "u", role: "user", parts: [{ type: "text", text: "New" }] };
    const chat = readChat({ id: "c", message, trigger: "regenerate-message", messageId: `r${seq}` });

    expect(firstReplaced(await readTurns(sessions, "c", owner), chat)).toBe(seq);
  });

  it("are none of an unknown session, and a failure of a later page is no end", async () => {
    const missing = { after: 0, error: new TroupeError("not_found", "No session.") };
    expect(await readTurns(sessionOf(5, missing).sessions, "c", owner)).toEqual([]);
    const broken = { after: 100, error: new TroupeError("storage_unavailable", "Down.") };

    await expect(readTurns(sessionOf(150, broken).sessions, "c", owner)).rejects.toBe(broken.error);
  });
});

describe("several answers in one message", () => {
  const wait = (id: string, kind: Wait["kind"] = "approval"): Wait => ({ id, kind, about: {}, toolCallId: `t-${id}` });
  const approval = (id: string, approved: boolean) => ({
    type: "tool-pay",
    state: "approval-responded",
    approval: { id, approved },
  });
  const result = (id: string, output: unknown) => ({
    type: "tool-look",
    toolCallId: `t-${id}`,
    state: "output-available",
    output,
  });
  const text = { type: "text", text: "Hm." };
  const messageOf = (...parts: SentMessage["parts"]): SentMessage => ({ id: "r", role: "assistant", parts });

  it("are each given to the question of their own, in the order of the questions", () => {
    const waits = [wait("1"), wait("2", "input"), wait("3"), wait("4", "input"), wait("5")];
    const message = messageOf(approval("5", false), result("4", "é"), text, approval("x", true), approval("1", true));
    const answers = readAnswers({ waits } as unknown as RunView, message);

    expect(answers).toEqual([
      { waitId: "1", answer: { approved: true } },
      { waitId: "4", answer: { result: "é" } },
      { waitId: "5", answer: { approved: false } },
    ]);
  });

  it("are known by all of their ids when they are sent again", () => {
    const pending = { type: "tool-pay", state: "approval-requested", approval: { id: "2" } };

    expect(answeredIds(messageOf(approval("1", true), text, pending, approval("3", false)))).toEqual(["1", "3"]);
  });
});

describe("a page's own copy of a conversation", () => {
  const file = (name: string) => ({
    type: "file",
    mediaType: "application/pdf",
    url: `https://e.org/${name}`,
    filename: name,
  });

  it("keeps the files of each of its messages, wherever they stand", () => {
    const said = (text: string) => ({ type: "text", text });
    const messages: SentMessage[] = [
      { id: "1", role: "user", parts: [said("One"), file("a.pdf"), file("ü.pdf")] },
      { id: "2", role: "assistant", parts: [said("Read.")] },
      { id: "3", role: "user", parts: [file("b.pdf"), said("Two")] },
      { id: "4", role: "user", parts: [said("Three")] },
    ];
    const sent = (name: string) => ({
      type: "file",
      data: `https://e.org/${name}`,
      mimeType: "application/pdf",
      filename: name,
    });

    expect(toHistory(messages)).toEqual([
      { role: "user", content: [said("One"), sent("a.pdf"), sent("ü.pdf")] },
      { role: "assistant", content: "Read." },
      { role: "user", content: [sent("b.pdf"), said("Two")] },
      { role: "user", content: "Three" },
    ]);
  });
});
