import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import type { VendorState } from "../../model/vendor-state.ts";
import type { StoredTurn } from "../../sessions/session/turn-record.ts";
import { withStateOf } from "./remembered-state.ts";

const state = (of: string, modelId = "m"): VendorState => ({ providerId: "v", modelId, items: [of], stored: true });
const user = (content: string): ChatMessage => ({ role: "user", content });
const answer = (content: string): ChatMessage => ({ role: "assistant", content });

/** A turn with this number, whose last message has a state. */
function turnOf(seq: number, messages: ChatMessage[], more: Partial<StoredTurn> = {}): StoredTurn {
  const vendorStates = [{ index: messages.length - 1, state: state(`s${seq}`) }];
  return { seq, input: `q${seq}`, messages, vendorStates, ...more } as unknown as StoredTurn;
}

const withState = (message: ChatMessage, of: VendorState) => ({ ...message, vendorState: of });
const [first, second] = [turnOf(3, [answer("a3")]), turnOf(4, [answer("a4a"), answer("a4b")])];
const messages = [user("q3"), answer("a3"), user("q4"), answer("a4a"), answer("a4b")];
const places = [
  { seq: 3, fromEnd: 2 },
  { seq: 4, fromEnd: 1 },
];

describe("withStateOf", () => {
  it("gives the answers of turns their state, and changes nothing that it was given", () => {
    const before = structuredClone(messages);

    expect(withStateOf([first, second], places, messages)).toStrictEqual([
      user("q3"),
      withState(answer("a3"), state("s3")),
      user("q4"),
      answer("a4a"),
      withState(answer("a4b"), state("s4")),
    ]);
    expect(messages).toStrictEqual(before);
  });

  it.each<[what: string, turn: StoredTurn, kept: ChatMessage[]]>([
    ["is shortened", first, messages.with(1, answer("a"))],
    ["ends early", second, messages.slice(0, -1)],
    ["has another message between", second, messages.with(3, answer("x"))],
    ["stands elsewhere", second, [...messages, user("q5"), answer("a5")]],
  ])("gives none to a turn that %s", (_, turn, kept) => {
    expect(withStateOf([turn], places, kept)).toStrictEqual(kept);
  });

  it("gives none to a turn that is not in the memory any more", () => {
    expect(withStateOf([first], [{ seq: 3, fromEnd: 3 }], messages)).toStrictEqual(messages);
    expect(withStateOf([first], places, [])).toStrictEqual([]);
  });

  it("leaves out the state of a model that a later turn refused, and not that of another or of the turn itself", () => {
    const other = turnOf(2, [answer("a2")], { vendorStates: [{ index: 0, state: state("s2", "m2") }] });
    const refusing = turnOf(4, [answer("a4a"), answer("a4b")], { refusedStates: [{ providerId: "v", modelId: "m" }] });
    const all = [user("q2"), answer("a2"), ...messages];

    expect(withStateOf([other, first, refusing], [...places, { seq: 2, fromEnd: 3 }], all)).toStrictEqual([
      user("q2"),
      withState(answer("a2"), state("s2", "m2")),
      user("q3"),
      answer("a3"),
      user("q4"),
      answer("a4a"),
      withState(answer("a4b"), state("s4")),
    ]);
  });
});
