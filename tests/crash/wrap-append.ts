import type { Json, StorageDriver } from "@troupe/core";
import type { AppendOptions } from "@troupe/core/storage";

/** Arguments of an append, as one object. */
type AppendRequest = { namespace: string; keyPrefix: string; value: Json; options?: AppendOptions | undefined };

/** Appends a record. */
export type Append = (request: AppendRequest) => Promise<{ key: string; seq: number }>;

/** Wraps the `append` of a driver. Only turns are appended. */
export function wrapAppend<Driver extends StorageDriver>(driver: Driver, wrap: (append: Append) => Append): Driver {
  const wrapped = wrap(async ({ namespace, keyPrefix, value, options }) => {
    if (driver.append === undefined) throw new Error("This driver does not append.");
    return await driver.append(namespace, keyPrefix, value, options);
  });
  // oxlint-disable-next-line max-params -- the contract's shape
  const append: StorageDriver["append"] = async (namespace, keyPrefix, value, options) =>
    await wrapped({ namespace, keyPrefix, value, options });
  return new Proxy(driver, {
    get(_driver, name) {
      if (name === "append") return append;
      const member: unknown = Reflect.get(driver, name, driver);
      return typeof member === "function" ? (member.bind(driver) as unknown) : member;
    },
  });
}
