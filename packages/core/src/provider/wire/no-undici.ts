/** True in the module that stands in for undici on runtimes that cannot use it: see `#undici` in package.json. */
export const isStandIn = true;
