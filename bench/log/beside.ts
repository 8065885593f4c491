export async function besideService(_: unknown) {}
