import { copyTurn, dropTurn, editMessages, editOperation, editSent, editTurn } from "./spoil.ts";
import type { Mutation } from "./spoil.ts";

const b2 = "nonce-00000000000000b2";

/** Mutants of turns and sessions, for I1 to I5. */
export const sessionMutations: Record<string, Mutation> = {
  "an acknowledged turn is lost": {
    violates: "I1",
    // The dropped turn is the last but one, so that the session's count is still right.
    spoil: (evidence) => dropTurn(evidence, "amber-4"),
    says: /operation amber-4 in session -\/-\/amber was acknowledged and is not in storage/,
  },
  "an acknowledged turn is stored twice": {
    violates: "I1",
    spoil: (evidence) => copyTurn(evidence, "amber-2"),
    says: /amber-2 .* is in storage 2 times/,
  },
  "an acknowledged turn is stored as interrupted": {
    violates: "I1",
    spoil: (evidence) => editTurn(evidence, "amber-5", { status: "interrupted" }),
    says: /amber-5 .* as interrupted/,
  },
  "the client saw another answer than is stored": {
    violates: "I1",
    spoil: (evidence) => editOperation(evidence, "amber-5", { text: "something else" }),
    says: /amber-5 .* another answer .* answer 5/,
  },
  "a stored call has no result": {
    violates: "I2",
    spoil: (evidence) => editMessages(evidence, "amber-5", ([call, , answer]) => [call, answer]),
    says: /stored turn -\/-\/amber\/000000000005 call-amber-5 has no result before the next message/,
  },
  "a stored result has no call": {
    violates: "I2",
    spoil: (evidence) => editMessages(evidence, "cedar-5", ([, result, answer]) => [result, answer]),
    says: /result for call-cedar-5 has no call/,
  },
  "a stored call has two results": {
    violates: "I2",
    spoil: (evidence) => editMessages(evidence, "birch-5", ([call, result, answer]) => [call, result, result, answer]),
    says: /result for call-birch-5 has no call right before it/,
  },
  "an interrupted turn ends with a dangling call": {
    violates: "I2",
    spoil: (evidence) => editMessages(evidence, "birch-3", ([call]) => [call]),
    says: /call-birch-3 has no result before the end/,
  },
  "a stored message has an unknown role": {
    violates: "I2",
    spoil: (evidence) =>
      editMessages(evidence, "amber-1", (all) => [{ role: "function" as "tool", content: "1" }, ...all]),
    says: /a message has the unknown role function/,
  },
  "a result is missing in a request (chat)": {
    violates: "I2",
    spoil: (evidence) => editSent(evidence, 3, (messages) => messages.filter(({ role }) => role !== "tool")),
    says: /request 4 to the vendor call-amber-1 has no result/,
  },
  "a result is missing in a request (blocks)": {
    violates: "I2",
    spoil: (evidence) =>
      editSent(evidence, 13, (messages) => messages.filter((one) => !JSON.stringify(one).includes("tool_result"))),
    says: /request 14 to the vendor call-birch-1 has no result/,
  },
  "a call is missing in a request (parts)": {
    violates: "I2",
    spoil: (evidence) =>
      editSent(evidence, 23, (messages) => messages.filter((one) => !JSON.stringify(one).includes("functionCall"))),
    says: /request 24 to the vendor the result for weather#1 has no call/,
  },
  "two user messages are merged in a request": {
    violates: "I2",
    spoil: (evidence) =>
      editSent(evidence, 4, (messages) =>
        messages.map((message, index) =>
          index === messages.length - 1
            ? { ...message, content: `${String(messages[0]?.["content"])}\n${String(message["content"])}` }
            : message,
        ),
      ),
    says: /2 user messages are merged: nonce-00000000000000a1 question 1 \| nonce-00000000000000a1 question 3/,
  },
  "a strict vendor refused a request": {
    violates: "I2",
    spoil: ({ exchanges }) => Object.assign(exchanges[7] ?? {}, { refusal: { message: "tool_call_id not found" } }),
    says: /vendor refused request 8 to the vendor: tool_call_id not found/,
  },
  "a stored turn has a second user message": {
    violates: "I3",
    spoil: (evidence) =>
      editMessages(evidence, "amber-1", (all) => [
        ...all,
        { role: "user", content: "more" },
        { role: "assistant", content: "nonce-00000000000000a1 answer 1" },
      ]),
    says: /stored turn -\/-\/amber\/000000000001 has two user messages/,
  },
  "an acknowledged turn has no answer": {
    violates: "I3",
    spoil: (evidence) => editMessages(evidence, "amber-5", ([call, result]) => [call, result]),
    says: /000000000005 was acknowledged and does not end with an answer/,
  },
  "two turns are interleaved in a request": {
    violates: "I3",
    // The messages are then: user 1, user 2, answer 1, answer 2, user 3.
    spoil: (evidence) =>
      editSent(evidence, 4, (all) =>
        [all[0], all[4], ...all.slice(1, 4), ...all.slice(5)].filter((one) => one !== undefined),
      ),
    says: /Request 5 to the vendor, of session -\/-\/amber, has two user messages in a row/,
  },
  "two turns have each other's answers in a request": {
    violates: "I3",
    spoil: (evidence) =>
      editSent(evidence, 4, (all) =>
        [all[0], ...all.slice(5, 8), all[4], ...all.slice(1, 4), all[8]].filter((one) => one !== undefined),
      ),
    says: /has another turn's answer after nonce-00000000000000a1 question 1: nonce-00000000000000a1 answer 2/,
  },
  "an unacknowledged turn is marked completed without an answer": {
    violates: "I4",
    spoil: (evidence) => editMessages(evidence, "cedar-4", ([call, result]) => [call, result]),
    says: /000000000004 was not acknowledged and is marked completed without an answer/,
  },
  "an interrupted turn is marked completed": {
    violates: "I4",
    spoil: (evidence) => editTurn(evidence, "birch-3", { status: "completed" }),
    says: /birch\/000000000003 was not acknowledged and is marked completed/,
  },
  "a run that failed before any tool left a turn": {
    violates: "I4",
    spoil: (evidence) => editMessages(evidence, "birch-3", () => []),
    says: /is marked interrupted though no tool had been called/,
  },
  "an unacknowledged turn is stored twice": {
    violates: "I4",
    spoil: (evidence) => copyTurn(evidence, "cedar-4"),
    says: /unacknowledged run -\/-\/cedar run-cedar-4 is in storage 2 times/,
  },
  "the record of a turn is incomplete": {
    violates: "I4",
    spoil: (evidence) => editTurn(evidence, "birch-3", { messages: '[{"role":' }),
    says: /record -\/-\/birch\/000000000003 is no turn/,
  },
  "a session counts a turn that is not there": {
    violates: "I4",
    spoil: ({ storage }) => Object.assign(storage.sessions[0]?.value ?? {}, { turns: 6 }),
    says: /session -\/-\/amber counts 6 turns, but the last one in storage is 5/,
  },
  "a prompt holds another session's nonce": {
    violates: "I5",
    spoil: (evidence) => editSent(evidence, 0, (all) => [{ role: "system", content: `Known: ${b2}` }, ...all]),
    says: /Request 1 to the vendor holds data of 2 sessions/,
  },
  "a history holds another session's nonce": {
    violates: "I5",
    spoil: (evidence) => editTurn(evidence, "amber-1", { title: b2 }),
    says: /record turns -\/-\/amber\/000000000001 holds nonce-00000000000000b2 of session -\/-\/birch/,
  },
  "a memory holds another session's nonce": {
    violates: "I5",
    spoil: ({ storage }) => Object.assign(storage.memory[2]?.value ?? {}, { summary: b2 }),
    says: /record memory -\/-\/cedar\/000000000001 holds/,
  },
  "a reply holds another session's nonce": {
    violates: "I5",
    spoil: (evidence) => editOperation(evidence, "amber-6", { text: `half an answer: ${b2}` }),
    says: /reply of operation amber-6 holds/,
  },
  "a trace holds another session's words": {
    violates: "I5",
    spoil: ({ observations }) => Object.assign(observations[0] ?? {}, { text: b2 }),
    says: /The trace of session -\/-\/amber holds/,
  },
  "a fact holds two users' words": {
    violates: "I5",
    spoil: (evidence) => {
      const facts = [{ key: "-/ann/1", value: `${b2} and nonce-00000000000000a1` }];
      evidence.storage = { ...evidence.storage, facts };
    },
    says: /record -\/ann\/1 holds data of 2 sessions/,
  },
};
