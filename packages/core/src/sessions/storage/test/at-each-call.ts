/** Makes a connection to a storage that lets other processes work before one of its calls, and waits for them. */
type Slowed = <Driver extends object>(driver: Driver, others: () => Promise<unknown>) => Driver;

/**
 * Plays a scene of a slow process once for each of its storage calls. Other processes work before that call. The first
 * play, with the number 0, goes without them.
 *
 * @param oneIn the share of the calls before which others work
 */
export async function atEachCall(play: (slowed: Slowed, at: number) => Promise<void>, oneIn = 1): Promise<void> {
  for (let at = 0, most = 0; at <= most; at += oneIn) {
    let calls = 0;
    const slowed: Slowed = (driver, others) =>
      new Proxy(driver, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== "function") return member;
          if (name === "watch") return member.bind(target) as unknown;
          return async (...args: unknown[]) => {
            calls += 1;
            if (calls === at) await others();
            return (await Reflect.apply(member, target, args)) as unknown;
          };
        },
      });
    await play(slowed, at);
    // Up to the call before which others work, each play makes the calls of the first.
    if (at === 0) most = calls;
  }
}
