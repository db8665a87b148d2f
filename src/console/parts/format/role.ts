import type { Role } from '../../../storage/port/index.ts'

export const roleWithArticle: Record<Role, string> = {
  merchant: 'a merchant',
  developer: 'a developer',
  operator: 'an operator',
}
