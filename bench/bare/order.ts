export interface BareOrder {
  store_id: number
  created_at: string
  id: string
  doc: string
}
