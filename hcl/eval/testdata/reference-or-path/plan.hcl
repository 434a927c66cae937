host "a" {}

stage "venv" "low" {
  path = "/opt/low"
}
stage "venv" "by_reference" {
  base = stage.venv.low
}
stage "venv" "by_path" {
  base = "/opt/other"
}
stage "venv" "below" {
  base = "${stage.venv.low.path}/below"
}
stage "venv" "again" {
  base  = stage.venv.by_path.base
  words = [stage.venv.by_path.base]
}
