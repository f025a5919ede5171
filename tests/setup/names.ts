import { Resolver } from "node:dns/promises";

// No test asks a name server: what it says is not the same everywhere, and a machine may have none. A test that needs an answer
// gives it by a spy of its own.
const notFound = async (): Promise<never> => {
  throw Object.assign(new Error("This name is not known in tests."), { code: "ENOTFOUND" });
};
Object.assign(Resolver.prototype, { resolve4: notFound, resolve6: notFound });
