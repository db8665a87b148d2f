import postgres from 'postgres'

/** One statement over a connection of its own. */
export async function administer(
  url: string,
  statement: string,
  options: { fetch_types?: boolean } = {},
): Promise<postgres.RowList<postgres.Row[]>> {
  // Not prepared: through a pooler it would stay behind in a session of others.
  const sql = postgres(url, { max: 1, prepare: false, onnotice: () => {}, ...options })
  try {
    return await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}
