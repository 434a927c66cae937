# A small service on two hosts, through every generic piece of pdprov: a package, two
# files, a Python environment from a hashed lock, and a systemd unit.

variable "greeting" {
  type    = string
  default = "hello from pdprov"
}

host "h1" {}
host "h2" {}

stage "package" "base" {
  packages = { tree = "*" }
}

stage "file" "greeting" {
  path    = "/etc/hello/greeting"
  content = "${var.greeting}\n"
}

stage "file" "app" {
  path   = "/opt/hello/app.py"
  source = "app.py"
}

stage "venv" "hello" {
  path = "/opt/hello/venv"
  lock = "requirements.lock"
}

stage "unit" "hello" {
  name       = "hello.service"
  content    = <<-EOT
    [Unit]
    Description=Greets whoever asks on port 8080
    After=network.target

    [Service]
    ExecStart=${stage.venv.hello.path}/bin/python ${stage.file.app.path} ${stage.file.greeting.path}
    DynamicUser=yes
    Restart=on-failure

    [Install]
    WantedBy=multi-user.target
  EOT
  enabled    = true
  running    = true
  restart_on = [stage.file.greeting, stage.file.app, stage.venv.hello]
}
