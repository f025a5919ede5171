import { dropMembers, textAt } from "./mutator.ts";
import type { Mutator } from "./mutator.ts";
import { asNode, listOf } from "./walk.ts";

/** Methods that a mutation removes from a call chain. */
const leftOut = /^(catch|finally|toSorted|slice|filter|map|trim|unref|toLowerCase|toReversed)$/;

/** Functions that take an owner, of which a mutation removes a part. */
const ofOwners = /^(ownerKey|ownerPrefix|session(Key|Ref))$/;

const dropLastArgument: Mutator = (node, source) => {
  const given = listOf(node["arguments"]);
  return given.length > 1 ? dropMembers(given.slice(-1), source) : [];
};

const dropOwnerPart: Mutator = (node, source) => {
  const [callee, first] = [asNode(node["callee"]), listOf(node["arguments"])[0]];
  if (callee === undefined || first === undefined || !ofOwners.test(textAt(source, callee))) return [];
  const without = (part: string): string => `{ ...${textAt(source, first)}, ${part}: undefined }`;
  return ["tenantId", "userId", "verified"].map((part) => ({ kind: "owner", at: first, text: without(part) }));
};

const countCharacters: Mutator = (node, source) => {
  const [callee, first] = [asNode(node["callee"]), listOf(node["arguments"])[0]];
  if (callee === undefined || first === undefined || textAt(source, callee) !== "Buffer.byteLength") return [];
  return [{ kind: "bytes", at: node, text: `${textAt(source, first)}.length` }];
};

const changeMethod: Mutator = (node, source) => {
  const callee = asNode(node["callee"]);
  const [object, method] = [asNode(callee?.["object"]), asNode(callee?.["property"])];
  if (object === undefined || method === undefined) return [];
  const name = textAt(source, method);
  if (name === "min" || name === "max") return [{ kind: "extreme", at: method, text: name === "min" ? "max" : "min" }];
  return leftOut.test(name) ? [{ kind: "call", at: node, text: textAt(source, object) }] : [];
};

/** Mutations of calls: they remove an argument, a part of an owner or a whole call, or use characters for bytes. */
export const callMutators: readonly Mutator[] = [dropLastArgument, dropOwnerPart, countCharacters, changeMethod];
