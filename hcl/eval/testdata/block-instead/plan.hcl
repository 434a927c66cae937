host = "a"
stage = { file = "x" }
local {
  a = 1
}
provider "x" {}
