/** Users as a host signs them in. Any two differ in the user or in the tenant, and some in nothing else. */
export const signedIn = [
  { userId: "ada" },
  { userId: "bob" },
  { userId: "ada", tenantId: "acme" },
  { userId: "bob", tenantId: "acme" },
  { userId: "ada", tenantId: "apex" },
] as const;
