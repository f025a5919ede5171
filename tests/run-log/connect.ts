import type { StorageDriver } from "@troupe/core";

type Call = (...args: never[]) => unknown;

/**
 * Makes a process's own connection to a storage, each of whose asynchronous members goes through `pass`. Storage in memory is
 * not known as such behind it: what one process has there, another one may have written.
 */
export function connect(
  driver: StorageDriver,
  pass: (name: string, args: readonly unknown[], make: () => Promise<unknown>) => Promise<unknown>,
): StorageDriver {
  return new Proxy({} as StorageDriver, {
    has: (_, name) => name in driver,
    get: (_, name) => {
      const member: unknown = Reflect.get(driver, name, driver);
      if (typeof member !== "function") return member;
      if (name === "watch") return member.bind(driver) as unknown;
      const make = async (args: unknown[]) => (await Reflect.apply(member as Call, driver, args)) as unknown;
      return async (...args: unknown[]) => await pass(String(name), args, async () => await make(args));
    },
  });
}
