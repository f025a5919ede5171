import { expect, it } from "vitest";
import { readPrincipal, readRunUser } from "./principal.ts";
import type { BodyUserId, Principal } from "./principal.ts";

it("nobody is signed in where the host set no principal", () => {
  expect(readPrincipal(undefined, "here")).toBeUndefined();
});

it.each<[Principal]>([[{ userId: "ada" }], [{ userId: "ada", tenantId: "t" }], [{ userId: "Größe" }]])(
  "a principal keeps its user and its tenant, and nothing else: %j",
  (principal) => {
    expect(readPrincipal({ ...principal, verified: false, role: "admin" }, "here")).toStrictEqual(principal);
  },
);

it.each([
  [null],
  ["ada"],
  [{}],
  [{ tenantId: "t" }],
  [{ userId: 7 }],
  [{ userId: "" }],
  [{ userId: "a", tenantId: 7 }],
])("a malformed principal is a fault of the host: %j", (principal) => {
  const message = "here must be { userId, tenantId? }, both strings.";
  expect(() => readPrincipal(principal, "here")).toThrow(expect.objectContaining({ code: "internal", message }));
});

const ada = { userId: "ada", tenantId: "t" };

it.each<{ who: string; principal?: Principal; claimed?: string; bodyUserId?: BodyUserId; user: object }>([
  { who: "nobody", user: {} },
  { who: "the principal", principal: ada, bodyUserId: "unverified", user: ada },
  { who: "the principal who names itself", principal: ada, claimed: "ada", bodyUserId: "unverified", user: ada },
  { who: "a trusted claim", claimed: "bob", user: { userId: "bob", verified: true } },
  { who: "a claim", claimed: "bob", bodyUserId: "unverified", user: { userId: "bob", verified: false } },
])("a run is for $who", ({ principal, claimed, bodyUserId = "trusted", user }) => {
  expect(readRunUser(principal, { claimed, bodyUserId })).toStrictEqual(user);
});

it.each(["bob", "Ada", "ada "])(
  "the claim %j of another one than is signed in is forbidden, trusted or not",
  (claimed) => {
    for (const bodyUserId of ["trusted", "unverified"] as const) {
      const read = () => readRunUser(ada, { claimed, bodyUserId });
      const message = "userId must be the user who is signed in. Leave it out, or sign in as that user.";
      expect(read).toThrow(expect.objectContaining({ code: "forbidden", message }));
    }
  },
);

it.each([[7], [""], [null], [{}]])("a claim that is no user id is refused: %j", (claimed) => {
  for (const principal of [undefined, ada])
    expect(() => readRunUser(principal, { claimed, bodyUserId: "trusted" })).toThrow(/userId/);
});
