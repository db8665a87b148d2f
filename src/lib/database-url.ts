/** Both schemes that libpq knows. */
export const isPostgresUrl = (database: string): boolean => /^postgres(ql)?:\/\//.test(database)

export const isUrl = (database: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(database)
